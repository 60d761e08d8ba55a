//! The client side: reads skills, and verifies what it reads.
