"""What the checks of all client libraries share: each runs for every model it names, and prints how it went as a line of JSON."""

import json
import math
import os
import traceback

url = os.environ["PORTICO_URL"]
key = os.environ["PORTICO_KEY"]

chat_models = ["demo", "via-chat-completions", "via-responses", "via-messages", "via-generate-content"]
embedding_models = ["demo", "embed-openai", "embed-google", "embed-cohere", "embed-voyage", "embed-jina"]
rerank_models = ["demo", "rerank-cohere", "rerank-voyage", "rerank-jina"]
# Those that speak OpenAI's dialect, which is the only one that these endpoints have.
openai_models = ["demo", "via-chat-completions"]
speech_models = ["demo", "via-chat-completions", "gemini-tts", "gpt-tokens-tts"]

texts = ["good morning", "good night", "a very different thing"]
query = "which city is the capital of France"
documents = [
    "Bread is made of flour.",
    "Paris is the capital city of France",
    "Berlin is the capital of Germany",
    "Nothing of that kind",
]
best = [1, 2]

found = []


def spoken(words):
    return f"This is the demo model of Portico speaking; no provider was asked. You said: {words}"


def check(*models):
    """Runs the function below for each model."""

    def mark(work):
        found.extend((f"{work.__name__} {model}", work, model) for model in models)
        return work

    return mark


def same(got, wanted):
    assert got == wanted, f"got {got!r}, wanted {wanted!r}"


def unit_vectors(vectors, count, dimensions):
    same([len(vector) for vector in vectors], [dimensions] * count)
    for vector in vectors:
        length = math.sqrt(sum(value * value for value in vector))
        assert abs(length - 1) < 1e-4, f"a vector of length {length}"
    same(len({tuple(vector) for vector in vectors}), count)


def refused(work, status):
    """The words of a refusal, which must carry this status."""
    try:
        work()
    except Exception as error:
        code = getattr(error, "status_code", None) or getattr(error, "http_status", None) or getattr(error, "code", None)
        assert code == status, f"refused with {code}: {error}"
        return str(error)
    raise AssertionError("it was not refused")


def run():
    for name, work, model in found:
        try:
            work(model)
            print(json.dumps({"name": name, "passed": True}), flush=True)
        except Exception:
            print(json.dumps({"name": name, "passed": False, "why": traceback.format_exc(limit=-4)}), flush=True)
