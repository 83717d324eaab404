"""Pictures: boards, charts, shapes, filters, as SVG and as text."""
