"""What C, JavaScript and direct calls share: the compiler's host program, read into schedules."""
