"""The demo organization: something to look at from the first minute. Each capability adds its part."""
