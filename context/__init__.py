"""What the model is told: system prompt and project instructions."""
