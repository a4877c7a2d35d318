/* This repository does not install @azure/identity: its newest version asks for a newer Node than this package does. */
declare module '@azure/identity' {
  /** Finds a login on this host: of its environment, of a managed identity, or of the Azure CLI. */
  export class DefaultAzureCredential {
    getToken(scopes: string | string[]): Promise<{ token: string; expiresOnTimestamp: number }>;
  }
}
