"""What a bot needs to run for years, whatever the chat: choices, triggers, limits, logs, metrics, languages."""
