// `npm test` plays the contract over a pool of mysql2, this file over all other clients.
import './contract.test.js';
