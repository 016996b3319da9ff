"""The studio: a page on this machine where motions are drawn, dragged and shown (docs/studio_protocol.md).

The page asks and shows; whatever is computed is computed here, by the same methods as everywhere.
"""
