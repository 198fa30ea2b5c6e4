/**
 * What a restored table lacks on an emulator that restores, and that a restore sets all of it, by
 * signed requests. restore.test.ts has the whole drill.
 */
import { CreateTableCommand, DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, expect, test } from 'vitest'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { openAwsAccount } from '../../cli/aws/ask-service.ts'
import { askDynamo } from '../../cli/clone/restore/control-plane.ts'
import { settleShape, waitForTable } from '../../cli/clone/restore/settle-shape.ts'
import type { TableShape } from '../../cli/clone/restore/table-shape.ts'
import { freshName } from '../contracts/fresh.ts'
import { emulatorEnvironment } from './credentials.ts'
import { emulatorOfProcess } from './emulator.ts'
import { lacks, whyNot } from './gaps.ts'

const RESTORES = 'restores a table to a moment'
const PAUSE_MS = 200
const WANTED: TableShape = {
  keys: ['pk HASH', 'sk RANGE'],
  ttlAttribute: 'ttl',
  stream: 'NEW_AND_OLD_IMAGES',
  pointInTimeRecovery: true,
  deletionProtection: false,
  billing: 'on-demand',
  writeUnitsMax: 4_000,
  readUnitsMax: 12_000,
  writeScaling: undefined,
  readScaling: undefined,
  tags: { Project: 'skillgate', Stage: 'prod' },
}

const { endpoint, name } = await emulatorOfProcess()
const client = dynamoClient({ endpoint })
const source = freshName('source-')
const target = freshName('restored-')

afterAll(async () => {
  for (const TableName of [source, target]) {
    await client.send(new DeleteTableCommand({ TableName })).catch(() => {})
  }
  client.destroy()
})

test.skipIf(lacks(name, RESTORES))(
  `a restored table gets every setting that it lacks, and a second run finds nothing to set${whyNot(name, RESTORES)}`,
  async () => {
    const aws = await openAwsAccount(emulatorEnvironment(endpoint))
    const pause = () => new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS))
    const wait = { aws, pause, onWait: () => {} }
    await client.send(
      new CreateTableCommand({
        TableName: source,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
        ],
      }),
    )
    const given = await settleShape(wait, source, WANTED)
    expect(given.length).toBeGreaterThan(3)
    await askDynamo(aws, 'RestoreTableToPointInTime', {
      SourceTableName: source,
      TargetTableName: target,
      UseLatestRestorableTime: true,
    })
    await waitForTable(wait, target)
    const set = await settleShape(wait, target, WANTED)
    expect(set.map(({ name: setting }) => setting)).toEqual(
      expect.arrayContaining(['ttlAttribute', 'stream', 'pointInTimeRecovery', 'tags']),
    )
    expect(await settleShape(wait, target, WANTED)).toEqual([])
  },
)
