export {
  type InvocationContext,
  type Options,
  type Timer,
  type WithNow,
  withSingleExecution,
} from './adapters/azure.js';
export {
  type AzureEntityKey,
  type AzurePages,
  type AzureTableClient,
  type AzureTableStoreOptions,
  azureTableStore,
  createAzureTable,
} from './stores/azure/azure-table.js';
