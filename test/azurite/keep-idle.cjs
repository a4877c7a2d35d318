'use strict';

// Azurite ends a connection that was idle for 5 s, whatever its option --tableKeepAliveTimeout says: it reads that option
// under a misspelt name. A client that sends just then gets no answer, and the tests' own clients do not try again.
require('azurite/dist/src/table/TableEnvironment').default.prototype.tableKeepAliveTimeout = () => 86_400;
