export { tracer } from 'dd-trace';
