#![no_main]
ketbra_fuzz::target!(pytorch);
