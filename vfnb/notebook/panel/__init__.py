"""The live panel of a job: what is told of it, what is drawn of that, and the widgets that draw it."""
