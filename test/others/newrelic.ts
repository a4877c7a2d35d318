export { default as newrelic } from 'newrelic';
