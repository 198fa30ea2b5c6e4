/**
 * The store over the AWS SDK's client, for functions and scripts that no agent waits for. The
 * functions that agents wait for use signed/signed-requests.ts instead (docs/design/store.md#two-clients-of-dynamodb).
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { type DynamoStore, makeStore, type StoreOptions } from './document-store.ts'
import type { StoreAnswers, StoreInputs, StoreOperation, StoreRequests } from './store-requests.ts'

export function dynamoStore(options: StoreOptions & { client: DynamoDBClient }): DynamoStore {
  return makeStore(sdkRequests(options.client), options)
}

export function sdkRequests(client: DynamoDBClient): StoreRequests {
  const documents = DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    // Numbers stay decimal text (NumberValue): a float would lose digits of money.
    unmarshallOptions: { wrapNumbers: true },
  })
  const send: Senders = {
    BatchGetItem: (input) => documents.send(new BatchGetCommand(input)),
    DeleteItem: (input) => documents.send(new DeleteCommand(input)),
    GetItem: (input) => documents.send(new GetCommand(input)),
    PutItem: (input) => documents.send(new PutCommand(input)),
    Query: (input) => documents.send(new QueryCommand(input)),
    Scan: (input) => documents.send(new ScanCommand(input)),
    TransactGetItems: (input) => documents.send(new TransactGetCommand(input)),
    TransactWriteItems: (input) => documents.send(new TransactWriteCommand(input)),
    UpdateItem: (input) => documents.send(new UpdateCommand(input)),
  }
  return { send: (operation, input) => send[operation](input) }
}

type Senders = {
  readonly [O in StoreOperation]: (input: StoreInputs[O]) => Promise<StoreAnswers[O]>
}
