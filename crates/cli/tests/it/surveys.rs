//! `charrette survey` in real repositories.
