/**
 * The requests that the contract suites of the store send, judged as every function that uses the method:
 * each against the synthesized policy of that function. The embedded DynamoDB answers them; it checks no policy.
 */
import { DOOR_USES } from '../../lib/door-uses.ts'
import type { Door } from '../../lib/doors.ts'
import { getStage } from '../../lib/stages.ts'
import { TABLES } from '../adapters/dynamodb/embedded-store.ts'
import type { SentRequest } from '../contracts/permission-recorder.ts'
import { dynamoAuthorizations } from './dynamodb-authorizations.ts'
import type { Authorization } from './evaluate.ts'
import { rawPolicies, readPolicies } from './function-policies.ts'
import { describeGaps, describePolicies, type PolicySubject } from './policies-contract.ts'

const ACCOUNT = { region: 'us-east-1', accountId: '123456789012' }
const arnOf = (table: string) => `arn:aws:dynamodb:us-east-1:123456789012:table/${table}`
const TABLE_ACTION = /^dynamodb:(?!DescribeStream|GetRecords|GetShardIterator|ListStreams)/

export type StoreRequests = {
  /** Gets every request of the suites as it leaves. */
  readonly record: (sent: SentRequest) => void
  /** Call both after the suites, in the same file. */
  describePolicies(): void
  describeGaps(): void
}

/** Synthesizes: call it outside of tests, as `synthesize`. */
export function storeRequests(): StoreRequests {
  const policies = policiesOfTables()
  /** `port.method` → its questions to IAM, each once. */
  const asked = new Map<string, Map<string, Authorization>>()
  const subject: PolicySubject = {
    policyOf: (door) =>
      policies[door].filter(({ actions }) => actions.every((it) => TABLE_ACTION.test(it))),
    sentBy: (door) => methodsOf(door).flatMap((method) => [...(asked.get(method)?.values() ?? [])]),
  }
  return {
    record: ({ method, operation, input }) => {
      const known = asked.get(method) ?? new Map<string, Authorization>()
      asked.set(method, known)
      for (const authorization of dynamoAuthorizations(operation, input, arnOf)) {
        known.set(JSON.stringify(authorization), authorization)
      }
    },
    describePolicies: () => describePolicies('requests to the tables', subject),
    describeGaps: () => describeGaps('requests to the tables', subject),
  }
}

function policiesOfTables() {
  const world = {
    ...ACCOUNT,
    gatewayTable: arnOf(TABLES.gateway),
    sessionsTable: arnOf(TABLES.sessions),
    sessionsStream: `${arnOf(TABLES.sessions)}/stream/1`,
    userSecretsKey: 'arn:aws:kms:us-east-1:123456789012:key/1',
    adminSecret: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:admin',
    internalSecret: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:internal',
  }
  return readPolicies(rawPolicies(getStage('dev'), world))
}

function methodsOf(door: Door): readonly string[] {
  return Object.entries<readonly string[]>(DOOR_USES[door]).flatMap(([port, methods]) =>
    methods.map((method) => `${port}.${method}`),
  )
}
