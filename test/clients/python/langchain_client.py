"""LangChain's classes for OpenAI and Cohere."""

from checks import best, chat_models, check, documents, embedding_models, key, query, rerank_models, run, same, spoken, texts, unit_vectors, url
from langchain_cohere import CohereEmbeddings, CohereRerank
from langchain_core.documents import Document
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

words = "Good morning"


@check(*chat_models)
def chat(model):
    for over_responses in [False, True]:
        client = ChatOpenAI(
            model=model, api_key=key, base_url=f"{url}/v1", max_retries=0, use_responses_api=over_responses
        )
        same(client.invoke(words).text, spoken(words))
        same("".join(piece.text for piece in client.stream(words)), spoken(words))


@check(*embedding_models)
def embeddings(model):
    # It would count tokens with tables that it loads from the network.
    openai = OpenAIEmbeddings(
        model=model, api_key=key, base_url=f"{url}/v1", dimensions=8, check_embedding_ctx_length=False
    )
    unit_vectors(openai.embed_documents(texts), len(texts), 8)
    unit_vectors([openai.embed_query(words)], 1, 8)
    cohere = CohereEmbeddings(model=model, cohere_api_key=key, base_url=url)
    unit_vectors(cohere.embed_documents(texts), len(texts), 1536)
    unit_vectors([cohere.embed_query(words)], 1, 1536)


@check(*rerank_models)
def rerank(model):
    client = CohereRerank(model=model, cohere_api_key=key, base_url=url, top_n=2)
    same([one["index"] for one in client.rerank(documents, query)], best)
    ranked = client.compress_documents([Document(page_content=text) for text in documents], query)
    same([one.page_content for one in ranked], [documents[at] for at in best])


run()
