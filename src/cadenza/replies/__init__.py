"""A reply from the stream to the receipts: say, attempts, the tool loop, the pipeline, the outbox."""
