"""What a team would write instead: FastAPI with SQLAlchemy, and a Celery task for each delivery.

Nothing in here imports the service, nor the service this. It runs in `.venv-bench` (requirements-bench.txt), on the very tables
that the service has.
"""
