"""What the person writes, before it is sent: completion, drafts, history, attachments."""
