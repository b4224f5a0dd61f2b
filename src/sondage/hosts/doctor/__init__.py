"""Owns the examination of the way to a target: what was resolved, tried, offered and refused, with the remedy."""

from sondage.hosts.doctor.diagnosis import Diagnosis, Step
from sondage.hosts.doctor.examination import examine

__all__ = ["Diagnosis", "Step", "examine"]
