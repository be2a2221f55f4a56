"""The services of a bot, independent of the chat: choices, triggers, limits, logs, metrics, languages."""
