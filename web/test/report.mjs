// Writes what the tests compare with, once for all files of tests.
import { writeReport } from "./support.mjs";

writeReport();
