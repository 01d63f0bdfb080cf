"""Probing: does a vector carry a property that a small classifier can read off?"""
