import { createServer, type IncomingMessage, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isAllowed } from '../infra/iam-policy.js';
import { closed, listening } from '../support/loopback.js';

/** A DynamoDB in front of which an IAM policy is evaluated for each request. */
export interface IamProxy {
  readonly endpoint: string;
  /** The requests so far, as `UpdateItem`, and whether each was allowed. */
  readonly requests: { readonly verb: string; readonly isAllowed: boolean }[];
  stop(): Promise<void>;
}

const REGION_AND_ACCOUNT = 'eu-west-1:123456789012';

/**
 * DynamoDB Local knows no IAM. This proxy refuses what a policy does not allow, in DynamoDB's words, and sends on the
 * rest.
 *
 * @param policy for tables of region eu-west-1 and account 123456789012
 * @param partitionKey of all tables
 */
export async function startIamProxy(endpoint: string, policy: unknown, partitionKey = 'lockName'): Promise<IamProxy> {
  const requests: IamProxy['requests'] = [];
  const server: Server = createServer(async (request, response) => {
    const body = await buffer(request);
    const verb = String(request.headers['x-amz-target']).replace(/^.*\./, '');
    const allowed = isAllowed(policy, requestOf(verb, body, partitionKey));
    requests.push({ verb, isAllowed: allowed });
    if (!allowed) {
      const denial = { __type: 'com.amazon.coral.service#AccessDeniedException', Message: `not authorized: ${verb}` };
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'DENIED' });
      return response.end(JSON.stringify(denial));
    }
    const answer = await fetch(endpoint, { method: 'POST', headers: headersOf(request), body: new Uint8Array(body) });
    const { 'content-encoding': _, 'content-length': __, ...headers } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, headers);
    return response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const port = await listening(server);
  return { endpoint: `http://127.0.0.1:${port}`, requests, stop: () => closed(server) };
}

function requestOf(verb: string, body: Buffer, partitionKey: string) {
  const { TableName, Key } = JSON.parse(body.toString()) as {
    TableName?: string;
    Key?: Record<string, { S?: string }>;
  };
  const key = Key?.[partitionKey]?.S;
  return {
    action: `dynamodb:${verb}`,
    resource: `arn:aws:dynamodb:${REGION_AND_ACCOUNT}:table/${TableName}`,
    ...(key !== undefined && { context: { 'dynamodb:LeadingKeys': [key] } }),
  };
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...own } = headers;
  return own as Record<string, string>;
}
