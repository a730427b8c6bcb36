"""The graph model: vocabulary, IRIs, and records and identities described as triples."""
