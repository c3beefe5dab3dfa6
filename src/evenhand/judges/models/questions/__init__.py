"""What a model judge sees and the questions it is asked."""
