"""The pipeline: context, generation, chunks, round, buffer, rules, delivery; ``ls`` shows them in order."""
