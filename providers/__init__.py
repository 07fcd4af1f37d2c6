"""Model APIs: one stream-event vocabulary out, whatever the wire says."""
