"""S2: Wu and Baldi, A Scalable Machine Learning Approach to Go (2006)."""
