/**
 * The requests that the gateway sends to DynamoDB: a port with two clients, the SDK's
 * (sdk-store.ts) and a light one (signed/signed-requests.ts, docs/design/store.md#two-clients-of-dynamodb). Values are plain; numbers
 * in answers are exact decimals. The shapes are the SDK's, imported as types only. Errors have
 * AWS's names.
 */
import type {
  BatchGetCommandInput,
  BatchGetCommandOutput,
  DeleteCommandInput,
  DeleteCommandOutput,
  GetCommandInput,
  GetCommandOutput,
  PutCommandInput,
  PutCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  ScanCommandInput,
  ScanCommandOutput,
  TransactGetCommandInput,
  TransactGetCommandOutput,
  TransactWriteCommandInput,
  TransactWriteCommandOutput,
  UpdateCommandInput,
  UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb'
import type { Config, ConfigName } from '../../config/config.ts'

export type StoreInputs = {
  readonly BatchGetItem: BatchGetCommandInput
  readonly DeleteItem: DeleteCommandInput
  readonly GetItem: GetCommandInput
  readonly PutItem: PutCommandInput
  readonly Query: QueryCommandInput
  readonly Scan: ScanCommandInput
  readonly TransactGetItems: TransactGetCommandInput
  readonly TransactWriteItems: TransactWriteCommandInput
  readonly UpdateItem: UpdateCommandInput
}

type Answer<Output> = Omit<Output, '$metadata'>

export type StoreAnswers = {
  readonly BatchGetItem: Answer<BatchGetCommandOutput>
  readonly DeleteItem: Answer<DeleteCommandOutput>
  readonly GetItem: Answer<GetCommandOutput>
  readonly PutItem: Answer<PutCommandOutput>
  readonly Query: Answer<QueryCommandOutput>
  readonly Scan: Answer<ScanCommandOutput>
  readonly TransactGetItems: Answer<TransactGetCommandOutput>
  readonly TransactWriteItems: Answer<TransactWriteCommandOutput>
  readonly UpdateItem: Answer<UpdateCommandOutput>
}

/** Names of AWS's API, as in the header `X-Amz-Target`. */
export type StoreOperation = keyof StoreInputs

export type StoreRequests = {
  /** Sends with the client's own retries. Rejects with an error that has AWS's name. */
  send<O extends StoreOperation>(operation: O, input: StoreInputs[O]): Promise<StoreAnswers[O]>
}

/** How a deployed function opens its client of the store: one of two clients (docs/design/store.md#two-clients-of-dynamodb). */
export type FunctionClient<C extends ConfigName> = {
  /** Parts of the configuration that the client reads, beside those of every function. */
  readonly needs: readonly C[]
  open(config: Readonly<Pick<Config, C>>): StoreRequests
}
