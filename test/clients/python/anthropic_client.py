"""Anthropic's own library."""

from anthropic import Anthropic
from checks import chat_models, check, key, refused, run, same, spoken, url

client = Anthropic(base_url=url, api_key=key, max_retries=0)
words = "Good morning"


@check(*chat_models)
def messages(model):
    asked = {"model": model, "max_tokens": 100, "messages": [{"role": "user", "content": words}]}
    answer = client.messages.create(**asked)
    same(answer.content[0].text, spoken(words))
    same(answer.stop_reason, "end_turn")
    with client.messages.stream(**asked) as stream:
        same("".join(stream.text_stream), spoken(words))
        same(stream.get_final_message().usage.output_tokens, answer.usage.output_tokens)
    assert client.messages.count_tokens(model=model, messages=asked["messages"]).input_tokens > 0


@check(*chat_models)
def tools(model):
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    asked = {
        "model": model,
        "max_tokens": 100,
        "messages": [{"role": "user", "content": words}],
        "tools": [{"name": "get_weather", "input_schema": schema}],
        "tool_choice": {"type": "any"},
    }
    called = client.messages.create(**asked).content[-1]
    same([called.type, called.name, called.input], ["tool_use", "get_weather", {"city": words}])
    with client.messages.stream(**asked) as stream:
        same(stream.get_final_message().content[-1].input, {"city": words})


@check("no-such-model")
def refusals(model):
    asked = {"max_tokens": 9, "messages": [{"role": "user", "content": words}]}
    assert model in refused(lambda: client.messages.create(model=model, **asked), 404)
    stranger = Anthropic(base_url=url, api_key="sk-" + "x" * 49, max_retries=0)
    refused(lambda: stranger.messages.create(model="demo", **asked), 401)


run()
