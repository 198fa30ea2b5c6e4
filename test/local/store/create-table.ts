/** A table of the gateway without its times to live, and with the stream that a test wants. */
import {
  CreateTableCommand,
  type DynamoDBClient,
  type StreamSpecification,
} from '@aws-sdk/client-dynamodb'

export async function createTable(
  client: DynamoDBClient,
  name: string,
  stream?: StreamSpecification,
): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      ...(stream === undefined ? {} : { StreamSpecification: stream }),
    }),
  )
  client.destroy()
}
