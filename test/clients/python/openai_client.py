"""OpenAI's own library at every endpoint."""

import base64
import io
import time

from checks import chat_models, check, embedding_models, key, openai_models, refused, run, same, speech_models, spoken, texts, unit_vectors, url
from openai import AsyncOpenAI, AzureOpenAI, OpenAI
from pydantic import BaseModel

client = OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)
words = "Good morning"
weather = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
tool = {"type": "function", "function": {"name": "get_weather", "parameters": weather}}


class Thing(BaseModel):
    name: str
    count: int


@check(*chat_models)
def chat(model):
    asked = {"model": model, "messages": [{"role": "user", "content": words}]}
    answer = client.chat.completions.create(**asked)
    same(answer.choices[0].message.content, spoken(words))
    assert answer.usage.total_tokens > 0
    text = ""
    usage = None
    for chunk in client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True}):
        usage = chunk.usage or usage
        text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
    same(text, spoken(words))
    same(usage.completion_tokens, answer.usage.completion_tokens)
    with client.chat.completions.stream(**asked) as stream:
        same(stream.get_final_completion().choices[0].message.content, spoken(words))


@check(*chat_models)
def chat_tools_and_schemas(model):
    asked = {"model": model, "messages": [{"role": "user", "content": words}]}
    forced = client.chat.completions.create(**asked, tools=[tool], tool_choice="required")
    same(forced.choices[0].message.tool_calls[0].function.name, "get_weather")
    parsed = client.chat.completions.parse(**asked, response_format=Thing)
    assert isinstance(parsed.choices[0].message.parsed, Thing)


@check(*chat_models)
def responses(model):
    first = client.responses.create(model=model, input=words)
    same(first.output_text, spoken(words))
    with client.responses.stream(model=model, input=words) as stream:
        same(stream.get_final_response().output_text, spoken(words))
    second = client.responses.create(model=model, input="And again", previous_response_id=first.id)
    assert second.usage.input_tokens > first.usage.input_tokens
    same(client.responses.retrieve(first.id).id, first.id)
    parsed = client.responses.parse(model=model, input=words, text_format=Thing)
    assert isinstance(parsed.output_parsed, Thing)
    assert client.responses.input_tokens.count(model=model, input=words).input_tokens > 0


@check(*chat_models)
def compaction(model):
    compacted = client.responses.compact(model=model, input="Call me Ada.")
    same([item.type for item in compacted.output if item.type == "compaction"], ["compaction"])
    kept = [item.model_dump(exclude_none=True) for item in compacted.output]
    asked = {"role": "user", "content": "Give me a summary of our conversation."}
    assert "Ada" in client.responses.create(model=model, input=[*kept, asked]).output_text


@check(*embedding_models)
def embeddings(model):
    answers = [
        client.embeddings.create(model=model, input=texts, dimensions=8),  # base64, unless told otherwise
        client.embeddings.create(model=model, input=texts, dimensions=8, encoding_format="float"),
    ]
    for answer in answers:
        unit_vectors([one.embedding for one in answer.data], len(texts), 8)
        same([one.index for one in answer.data], [0, 1, 2])
        assert answer.usage.total_tokens > 0
    for one, other in zip(answers[0].data, answers[1].data):
        assert max(abs(left - right) for left, right in zip(one.embedding, other.embedding)) < 1e-6
    raw = client.embeddings.with_raw_response.create(model=model, input="one", encoding_format="base64", dimensions=8)
    same(len(base64.b64decode(raw.http_response.json()["data"][0]["embedding"])), 8 * 4)
    unit_vectors([client.embeddings.create(model=model, input="one text").data[0].embedding], 1, 1536)


@check(*openai_models)
def moderations(model):
    results = client.moderations.create(model=model, input=["a nice day", "I will murder the bread"]).results
    same([one.flagged for one in results], [False, True])
    assert results[1].categories.violence


@check(*openai_models)
def completions(model):
    whole = client.completions.create(model=model, prompt="def add(a, b):", suffix="return sum", max_tokens=8)
    same(whole.choices[0].finish_reason, "length")
    stream = client.completions.create(model=model, prompt="def add(a, b):", suffix="return sum", max_tokens=8, stream=True)
    same("".join(chunk.choices[0].text for chunk in stream), whole.choices[0].text)


@check(*speech_models)
def speech(model):
    asked = {"model": model, "voice": "alloy", "input": "Hello there", "response_format": "wav"}
    whole = client.audio.speech.create(**asked)
    same(whole.response.headers["content-type"], "audio/wav")
    same(whole.read()[:4], b"RIFF")
    with client.audio.speech.with_streaming_response.create(**asked) as stream:
        same(b"".join(stream.iter_bytes())[:4], b"RIFF")
    with client.audio.speech.with_streaming_response.create(**asked, stream_format="sse") as stream:
        lines = [line for line in stream.iter_lines() if line.startswith("data:")]
    assert "speech.audio.delta" in lines[0] and "speech.audio.done" in lines[-1], lines[-1]


@check(*speech_models[:2])
def speech_as_usual(model):
    whole = client.audio.speech.create(model=model, voice="alloy", input="Hello there")
    same([whole.response.headers["content-type"], whole.read()[:2]], ["audio/mpeg", b"\xff\xf3"])
    assert "mp3" in refused(
        lambda: client.audio.speech.create(model=model, voice="alloy", input="x", response_format="opus"), 400
    )


def recording():
    return client.audio.speech.create(model="demo", voice="alloy", input="Hello", response_format="wav").read()


@check(*openai_models)
def transcriptions(model):
    file = ("hello.wav", recording())
    assert "demo" in client.audio.transcriptions.create(model=model, file=file).text
    verbose = client.audio.transcriptions.create(
        model=model, file=file, response_format="verbose_json", timestamp_granularities=["segment"]
    )
    assert "demo" in verbose.segments[0].text and verbose.duration > 0
    for format, first in [("text", "This is"), ("srt", "1\n"), ("vtt", "WEBVTT")]:
        assert str(client.audio.transcriptions.create(model=model, file=file, response_format=format)).startswith(first)
    events = list(client.audio.transcriptions.create(model=model, file=io.BytesIO(recording()), stream=True))
    same(events[-1].type, "transcript.text.done")
    same("".join(event.delta for event in events[:-1]).strip(), events[-1].text)


@check(*openai_models)
def translations(model):
    assert "demo" in client.audio.translations.create(model=model, file=("hello.wav", recording())).text


@check("demo-image", "via-image")
def images(model):
    whole = client.images.generate(model=model, prompt="a cat", response_format="b64_json")
    picture = base64.b64decode(whole.data[0].b64_json)
    same(picture[1:4], b"PNG")
    asked = {"model": model, "prompt": "a cat", "partial_images": 2}
    events = list(client.images.generate(**asked, stream=True))
    same([events[-1].output_format, events[-1].usage.total_tokens], ["png", 2])
    types = [event.type for event in events]
    same(types, ["image_generation.partial_image"] * 2 + ["image_generation.completed"])
    edited = client.images.edit(model=model, image=("cat.png", picture), prompt="a dog", response_format="b64_json")
    same(base64.b64decode(edited.data[0].b64_json)[1:4], b"PNG")
    types = [event.type for event in client.images.edit(**asked, image=("cat.png", picture), stream=True)]
    same(types, ["image_edit.partial_image"] * 2 + ["image_edit.completed"])


@check("demo-video", "via-video")
def videos(model):
    video = client.videos.create(model=model, prompt="a fox", seconds="4", size="1280x720")
    while video.status in ("queued", "in_progress"):
        time.sleep(0.1)
        video = client.videos.retrieve(video.id)
    same(video.status, "completed")
    same(client.videos.download_content(video.id).read()[4:8], b"ftyp")
    assert video.id in [one.id for one in client.videos.list(limit=5)]
    same(client.videos.create_and_poll(model=model, prompt="a wolf", poll_interval_ms=100).status, "completed")
    assert client.videos.delete(video.id).deleted


@check("demo")
def models(model):
    names = [one.id for one in client.models.list()]
    assert model in names, names
    same(client.models.retrieve(model).id, model)


@check("demo")
def another_address(model):
    """Azure's own class, and Google's address for OpenAI's clients."""
    azure = AzureOpenAI(azure_endpoint=url, api_key=key, api_version="2025-04-01-preview", max_retries=0)
    google = OpenAI(base_url=f"{url}/v1beta/openai/", api_key=key, max_retries=0)
    for one in [azure, google]:
        asked = {"model": model, "messages": [{"role": "user", "content": words}]}
        same(one.chat.completions.create(**asked).choices[0].message.content, spoken(words))
        kept = one.responses.create(model=model, input=words)
        same(one.responses.retrieve(kept.id).output_text, spoken(words))
        unit_vectors([one.embeddings.create(model=model, input="x", dimensions=8).data[0].embedding], 1, 8)
        assert "demo" in one.audio.transcriptions.create(model=model, file=("hello.wav", recording())).text


@check("demo")
def many_at_once(model):
    import asyncio

    async def ask():
        async with AsyncOpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0) as many:
            asked = {"model": model, "messages": [{"role": "user", "content": words}]}
            return await asyncio.gather(*(many.chat.completions.create(**asked) for _ in range(20)))

    for answer in asyncio.run(ask()):
        same(answer.choices[0].message.content, spoken(words))


@check("no-such-model")
def refusals(model):
    assert model in refused(lambda: client.chat.completions.create(model=model, messages=[{"role": "user", "content": "x"}]), 404)
    assert model in refused(lambda: client.embeddings.create(model=model, input="x"), 404)
    assert model in refused(lambda: client.moderations.create(model=model, input="x"), 404)
    assert model in refused(lambda: client.audio.speech.create(model=model, input="x", voice="alloy"), 404)
    assert model in refused(lambda: client.audio.transcriptions.create(model=model, file=("a.wav", b"x")), 404)
    stranger = OpenAI(base_url=f"{url}/v1", api_key="sk-" + "x" * 49, max_retries=0)
    refused(lambda: stranger.embeddings.create(model="demo", input="x"), 401)


run()
