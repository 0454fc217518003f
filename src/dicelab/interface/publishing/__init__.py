"""Games as web pages that work without a server, a network or Python."""
