/**
 * The SDK's DynamoDB client: bounded waits and attempts, so that a store that hangs becomes a fault
 * within seconds and never uses up a call's 15 s guard. Reads no environment of its own; the SDK
 * finds region and credentials as it always does.
 */
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { ATTEMPTS_MAX, CONNECTION_TIMEOUT_MS, REQUEST_TIMEOUT_MS, SOCKETS_MAX } from './limits.ts'

export type ClientOptions = {
  /** `http://127.0.0.1:8000`; AWS's own (or `AWS_ENDPOINT_URL_DYNAMODB`) when absent. */
  endpoint?: string | undefined
  region?: string | undefined
  /** A socket of this machine's file system that leads to `endpoint`. */
  socketPath?: string | undefined
  requestTimeoutMs?: number | undefined
}

export function dynamoClient(options: ClientOptions): DynamoDBClient {
  return new DynamoDBClient({ maxAttempts: ATTEMPTS_MAX, ...reaching(options) })
}

/** Endpoint, credentials and timeouts of a client; the client of the stream needs the same. */
export function reaching(
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

/**
 * A store on this machine checks no signature: search for no credentials, and send no real ones.
 */
const LOCAL = {
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  region: 'us-east-1',
}

export function isLoopback(endpoint: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(endpoint).hostname)
}
