"""Voyage's own library."""

import voyageai
from checks import best, check, documents, embedding_models, key, query, refused, rerank_models, run, same, texts, unit_vectors, url

client = voyageai.Client(api_key=key, base_url=f"{url}/v1", max_retries=0)


@check(*embedding_models)
def embeddings(model):
    answer = client.embed(texts, model=model, input_type="document", output_dimension=8)
    unit_vectors(answer.embeddings, len(texts), 8)
    assert answer.total_tokens > 0
    unit_vectors(client.embed("one text", model=model).embeddings, 1, 1536)


@check(*rerank_models)
def rerank(model):
    answer = client.rerank(query, documents, model=model, top_k=2)
    same([one.index for one in answer.results], best)
    same([one.document for one in answer.results], [documents[at] for at in best])
    assert answer.results[0].relevance_score > answer.results[1].relevance_score > 0


@check("no-such-model")
def refusals(model):
    refused(lambda: client.embed(texts, model=model), 404)
    refused(lambda: client.rerank(query, documents, model=model), 404)
    stranger = voyageai.Client(api_key="sk-" + "x" * 49, base_url=f"{url}/v1", max_retries=0)
    refused(lambda: stranger.embed(texts, model="demo"), 401)


run()
