"""`assess`, `nested_cv`, `bootstrap_train` and `compare_learners`: verbs that train a learner."""
