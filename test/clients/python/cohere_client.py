"""Cohere's own library, in both versions of its interface."""

import cohere
from checks import best, check, documents, embedding_models, key, query, refused, rerank_models, run, same, texts, unit_vectors, url

second = cohere.ClientV2(api_key=key, base_url=url)
first = cohere.Client(api_key=key, base_url=url)


@check(*embedding_models)
def embeddings(model):
    answer = second.embed(
        model=model, texts=texts, input_type="search_document", embedding_types=["float"], output_dimension=8
    )
    unit_vectors(answer.embeddings.float_, len(texts), 8)
    assert answer.meta.billed_units.input_tokens > 0
    mixed = [{"content": [{"type": "text", "text": text}]} for text in texts]
    listed = second.embed(model=model, inputs=mixed, input_type="search_document", embedding_types=["float"])
    unit_vectors(listed.embeddings.float_, len(texts), 1536)
    older = first.embed(model=model, texts=texts, input_type="search_query")
    unit_vectors(older.embeddings, len(texts), 1536)


@check(*rerank_models)
def rerank(model):
    answer = second.rerank(model=model, query=query, documents=documents, top_n=2)
    same([one.index for one in answer.results], best)
    assert answer.results[0].relevance_score > answer.results[1].relevance_score > 0
    older = first.rerank(model=model, query=query, documents=documents, top_n=2, return_documents=True)
    same([one.document.text for one in older.results], [documents[at] for at in best])


@check("no-such-model")
def refusals(model):
    assert model in refused(lambda: second.embed(model=model, texts=texts, input_type="classification"), 404)
    assert model in refused(lambda: second.rerank(model=model, query=query, documents=documents), 404)
    stranger = cohere.ClientV2(api_key="sk-" + "x" * 49, base_url=url)
    refused(lambda: stranger.rerank(model="demo", query=query, documents=documents), 401)


run()
