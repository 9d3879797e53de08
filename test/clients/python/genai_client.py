"""Google's own library."""

from checks import chat_models, check, embedding_models, key, refused, run, same, spoken, texts, unit_vectors, url
from google import genai
from google.genai import types

client = genai.Client(api_key=key, http_options={"base_url": url})
words = "Good morning"


@check(*chat_models)
def generate_content(model):
    answer = client.models.generate_content(model=model, contents=words)
    same(answer.text, spoken(words))
    pieces = list(client.models.generate_content_stream(model=model, contents=words))
    same("".join(piece.text or "" for piece in pieces), spoken(words))
    same(pieces[-1].usage_metadata.candidates_token_count, answer.usage_metadata.candidates_token_count)
    assert client.models.count_tokens(model=model, contents=words).total_tokens > 0
    talk = client.chats.create(model=model)
    same(talk.send_message(words).text, spoken(words))
    same(talk.send_message("And again").text, spoken("And again"))


@check(*chat_models)
def tools(model):
    schema = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}
    declared = types.Tool(function_declarations=[{"name": "get_weather", "parameters": schema}])
    config = types.GenerateContentConfig(
        tools=[declared], tool_config={"function_calling_config": {"mode": "ANY"}}
    )
    called = client.models.generate_content(model=model, contents=words, config=config).function_calls[0]
    same([called.name, called.args], ["get_weather", {"city": words}])


@check(*embedding_models)
def embeddings(model):
    config = {"output_dimensionality": 8, "task_type": "RETRIEVAL_DOCUMENT"}
    answer = client.models.embed_content(model=model, contents=texts, config=config)
    unit_vectors([one.values for one in answer.embeddings], len(texts), 8)
    alone = client.models.embed_content(model=model, contents="one text")
    unit_vectors([one.values for one in alone.embeddings], 1, 1536)


@check("no-such-model")
def refusals(model):
    assert model in refused(lambda: client.models.generate_content(model=model, contents=words), 404)
    assert model in refused(lambda: client.models.embed_content(model=model, contents=words), 404)
    stranger = genai.Client(api_key="sk-" + "x" * 49, http_options={"base_url": url})
    refused(lambda: stranger.models.embed_content(model="demo", contents=words), 401)


run()
