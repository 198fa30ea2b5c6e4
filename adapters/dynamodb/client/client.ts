/**
 * The AWS SDK's DynamoDB client with bounded waits and attempts: a store that hangs becomes a fault
 * within seconds and never uses up the 15 s of a call. This file reads no environment variable; the
 * SDK finds region and credentials in its own ways.
 */
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { ATTEMPTS_MAX, CONNECTION_TIMEOUT_MS, REQUEST_TIMEOUT_MS, SOCKETS_MAX } from './limits.ts'

export type ClientOptions = {
  /** Such as `http://127.0.0.1:8000`; default: AWS's endpoint, or `AWS_ENDPOINT_URL_DYNAMODB`. */
  endpoint?: string | undefined
  region?: string | undefined
  /** Path of a Unix socket that leads to `endpoint`. */
  socketPath?: string | undefined
  requestTimeoutMs?: number | undefined
}

export function dynamoClient(options: ClientOptions): DynamoDBClient {
  return new DynamoDBClient({ maxAttempts: ATTEMPTS_MAX, ...connectionConfig(options) })
}

/** Endpoint, credentials and timeouts of an SDK client: of the store's and of the stream's. */
export function connectionConfig(
  options: ClientOptions,
): Pick<DynamoDBClientConfig, 'requestHandler' | 'endpoint' | 'region' | 'credentials'> {
  const { endpoint, region, socketPath } = options
  const httpAgent = { maxSockets: SOCKETS_MAX, ...(socketPath === undefined ? {} : { socketPath }) }
  return {
    // Keep-alive is the handler's default. Without throwOnRequestTimeout the SDK only warns.
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      httpAgent,
      httpsAgent: { maxSockets: SOCKETS_MAX },
    },
    ...(endpoint !== undefined && isLoopback(endpoint) ? LOCAL : {}),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
  }
}

/** A store on this machine checks no signature, so the client sends no real credentials to it. */
const LOCAL = {
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  region: 'us-east-1',
}

export function isLoopback(endpoint: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(endpoint).hostname)
}
