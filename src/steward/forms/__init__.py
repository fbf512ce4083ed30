"""What is asked: forms, their published versions, and what people answered."""
