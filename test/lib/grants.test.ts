/** The table permissions of each function, in a temporary synthesized stack. */
import { App, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { CfnRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { describe, expect, test } from 'vitest'
import { type Permission, STORE_PERMISSIONS } from '../../adapters/dynamodb/permissions.ts'
import { DOOR_USES } from '../../lib/door-uses.ts'
import { DOORS, type Door } from '../../lib/doors.ts'
import { grantDoor, grantStreamTail, toStatements } from '../../lib/grants.ts'
import {
  expectedStatements,
  SCAN,
  statementsOfRole,
  type TableGrant,
  tableGrants,
} from './expected-grants.ts'

/** IAM's limit of a role's inline policies together, in characters. */
const ROLE_POLICY_CHARS_MAX = 10_240

const WRITES = ['PutItem', 'UpdateItem', 'DeleteItem'].map((action) => `dynamodb:${action}`)

const GATEWAY = 'arn:aws:dynamodb:eu-west-1:111111111111:table/G'
const SESSIONS = 'arn:aws:dynamodb:eu-west-1:111111111111:table/S'

const { statementsBy, grantsBy } = synthesized()

const requests = ({ action, keys, table }: TableGrant): readonly string[] =>
  keys.map((key) => `${action} ${table} ${key}`)

describe('the role of a door', () => {
  test.each(DOORS)('the role of %s may do exactly the actions that the function uses', (door) => {
    expect(grantsBy(door)).toEqual(expectedStatements(door))
  })

  test('a stolen role of messages may ask the tables for nothing that mcp may not, but to put replies', () => {
    const ofMcp = grantsBy('mcp').flatMap(requests)
    const more = grantsBy('messages').flatMap(requests)
    expect(more.filter((one) => !ofMcp.includes(one))).toEqual([
      'dynamodb:PutItem sessions session:*',
    ])
  })

  test('the sweep reads sweep entries and profiles, ends holds, judges tools, sends events, moves old users and keys, refreshes skills of MCP servers, and moves its cursor', () => {
    const gateway = (action: string, ...keys: string[]) => {
      return { table: 'gateway', action: `dynamodb:${action}`, keys }
    }
    expect(grantsBy('sweep')).toEqual([
      gateway('BatchGetItem', 'profile:*', 'user:uid:*'),
      gateway(
        'DeleteItem',
        'events:*',
        'mcp_held',
        'mcp_offers:*',
        'mcp_registry:tools_cache',
        'skill:market',
        'skill:official',
        'skill:private:*',
        'skillversion:*',
        'v0:asked',
      ),
      gateway(
        'GetItem',
        'credits:*',
        'events:*',
        'mcp_broadcast:tools_changed',
        'mcp_broadcast:tools_changed:*',
        'mcp_registry:tools_cache',
        'mcp_upstreams',
        'profile:*',
        'skill:market',
        'skill:official',
        'skill:private:*',
        'sweep:cursor',
        'tier:*',
      ),
      gateway(
        'PutItem',
        'auth:hash:*',
        'events:*',
        'keys:*',
        'ledger:*',
        'mcp_held',
        'mcp_offers:*',
        'mcp_registry:tools_cache',
        'mcp_registry:tools_draft:*',
        'mcp_upstreams',
        'profile:*',
        'skill:market',
        'skill:official',
        'skill:private:*',
        'skillversion:*',
        'users:*',
      ),
      gateway(
        'Query',
        'events:*',
        'mcp_offers:*',
        'mcp_registry:tools_cache',
        'mcp_registry:tools_draft:*',
        'mcp_upstreams',
        'minute:*',
        'skill:market',
        'skill:official',
        'skill:private:*',
        'skillversion:*',
        'usage:page:*',
        'v0:asked',
      ),
      gateway(
        'UpdateItem',
        'credits:*',
        'events:*',
        'mcp_broadcast:tools_changed',
        'mcp_broadcast:tools_changed:*',
        'mcp_registry:tools_cache',
        'minute:*',
        'profile:*',
        'sweep:cursor',
        'user:uid:*',
      ),
    ])
  })

  test.each(DOORS)('the role of %s has no action or resource by *', (door) => {
    const text = JSON.stringify(
      statementsBy(door).map(({ Action, Resource }) => [Action, Resource]),
    )
    expect(text).not.toMatch(/\*|PartiQL/)
    expect(new Set(statementsBy(door).map(({ Effect }) => Effect))).toEqual(new Set(['Allow']))
  })

  test('the role of admin alone scans, one table, and sees only keys, the attributes of the earlier service, and whether and by which groups a user is listed', () => {
    const scans = DOORS.flatMap((door) =>
      statementsBy(door)
        .filter(({ Action }) => JSON.stringify(Action).includes('Scan'))
        .map((statement) => ({ door, ...statement })),
    )
    expect(scans).toEqual([
      {
        door: 'admin',
        Action: 'dynamodb:Scan',
        Effect: 'Allow',
        Resource: GATEWAY,
        Condition: {
          'ForAllValues:StringEquals': {
            'dynamodb:Attributes': ['pk', 'sk', 'movedAtMs', 'value'],
          },
          StringEquals: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
          Null: { 'dynamodb:Attributes': 'false' },
        },
      },
    ])
  })

  test.each(DOORS)('every statement of %s is about named keys, and about some', (door) => {
    for (const { Action, Condition } of statementsBy(door)) {
      if (Action === SCAN) continue
      expect(Condition).toMatchObject({
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': expect.anything() },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      })
    }
  })

  test.each(['sse', 'messages', 'mcp', 'execute'] as const)(
    'the role of %s renews keys, and forges none',
    (door) => {
      const held = statementsBy(door).filter(({ Condition }) =>
        JSON.stringify(Condition).includes('"auth:hash:*"'),
      )
      expect(held.map(({ Action, Condition }) => [Action, Condition])).toContainEqual([
        'dynamodb:UpdateItem',
        {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['auth:hash:*'] },
          'ForAllValues:StringEquals': {
            'dynamodb:Attributes': ['pk', 'sk', 'expiresAtMs', 'renewedAtMs', 'ttl'],
          },
          StringEquals: { 'dynamodb:ReturnValues': 'NONE' },
          Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
        },
      ])
      // The role of mcp puts access tokens of logins, whose records no key can have.
      const puts = grantsBy(door).filter(({ action }) => action === 'dynamodb:PutItem')
      expect(puts.flatMap(({ keys }) => keys)).not.toContain('auth:hash:*')
    },
  )

  test.each(DOORS)('the role of %s is far below the size that a role may have', (door) => {
    const chars = JSON.stringify(statementsBy(door)).length
    expect(chars).toBeGreaterThan(500)
    expect(chars).toBeLessThan(ROLE_POLICY_CHARS_MAX / 2)
  })

  test.each(DOORS)('all keys of one request by %s are in one statement', (door) => {
    const permissions = permissionsOf(door)
    expect(permissions.length).toBeGreaterThan(0)
    expect(permissions.filter((permission) => !isAllowed(door, permission))).toEqual([])
  })
})

describe('the records of each role', () => {
  test.each([
    ['profile:*', ['admin', 'execute', 'mcp', 'messages', 'sweep']],
    ['ledger:*', ['admin', 'execute', 'mcp', 'messages', 'sweep']],
    ['auth:hash:*', ['admin', 'execute', 'mcp', 'messages', 'sse', 'sweep']],
    ['auth:hash:t:*', ['mcp']],
    ['login:*', ['admin', 'mcp']],
    ['login_secret', ['admin', 'mcp']],
    ['invite:*', ['mcp']],
    ['jwks:*', ['execute', 'mcp']],
    ['credits:*', ['admin', 'execute', 'mcp', 'messages', 'sweep']],
    ['tier:*', []],
    ['user:uid:*', ['admin', 'sweep']],
    // Admin looks keys up by their id.
    ['v0:asked', ['admin', 'execute', 'mcp', 'messages', 'sse', 'sweep']],
    // The sweep refreshes the skills of MCP servers.
    ['skill:private:*', ['admin', 'sweep']],
    ['skill:official', ['admin', 'sweep']],
    ['toolname:*', ['admin']],
    ['mcp_upstreams', ['admin', 'sweep']],
    ['mcp_offers:*', ['admin', 'sweep']],
    ['mcp_held', ['admin', 'sweep']],
    // Users set secrets on a page of mcp, and calls renew logins at upstreams.
    ['skill:secrets:*', ['admin', 'execute', 'mcp', 'messages']],
    ['secrets:shared', ['admin']],
    ['secrets:used', ['execute', 'mcp', 'messages']],
    ['mcp_registry:tools_cache', ['admin', 'sweep']],
    // Admin ends the streams of a user who is being deleted.
    ['session:*', ['admin', 'mcp', 'messages', 'sse']],
    ['input:*', ['mcp']],
    ['answer:*', ['execute', 'mcp', 'messages']],
  ])('the record %s is written by %j alone', (key, doors) => {
    expect(doorsThat(({ action, keys }) => WRITES.includes(action) && keys.includes(key))).toEqual(
      doors,
    )
  })

  test('the roles of execute, mcp and messages make sub-keys, and no other keys', () => {
    const makers = doorsThat(
      ({ action, keys }) => action === 'dynamodb:PutItem' && keys.includes('auth:hash:sub:*'),
    )
    expect(makers).toEqual(['execute', 'mcp', 'messages'])
  })

  test('the roles of admin and sweep alone make keys', () => {
    const makers = doorsThat(
      ({ action, keys }) => action === 'dynamodb:PutItem' && keys.includes('auth:hash:*'),
    )
    expect(makers).toEqual(['admin', 'sweep'])
  })

  test('the roles of execute, mcp and messages alone read skills by name, and they, admin and sweep read their whole lists', () => {
    const reads = (action: string) =>
      doorsThat((grant) => grant.action === action && grant.keys.includes('skill:private:*'))
    expect(reads('dynamodb:BatchGetItem')).toEqual(['execute', 'mcp', 'messages'])
    expect(reads('dynamodb:Query')).toEqual(['admin', 'execute', 'mcp', 'messages', 'sweep'])
  })

  test("the roles of execute, mcp and messages alone read a user's sealed secrets, and they and admin list their names", () => {
    const secrets = (action: string) =>
      doorsThat((grant) => grant.action === action && grant.keys.includes('skill:secrets:*'))
    expect(secrets('dynamodb:BatchGetItem')).toEqual(['execute', 'mcp', 'messages'])
    expect(secrets('dynamodb:Query')).toEqual(['admin', 'execute', 'mcp', 'messages'])
    expect(secrets('dynamodb:GetItem')).toEqual([])
  })

  test('the role of admin alone puts records of changes, that of usage reads them to archive them, and none updates or deletes one', () => {
    const writes = (action: string) =>
      doorsThat((grant) => grant.action === action && grant.keys.includes('audit:*'))
    expect(writes('dynamodb:PutItem')).toEqual(['admin'])
    expect(writes('dynamodb:UpdateItem')).toEqual([])
    expect(writes('dynamodb:DeleteItem')).toEqual([])
    expect(doorsThat(({ keys }) => keys.some((key) => key.startsWith('audit:')))).toEqual([
      'admin',
      'usage',
    ])
    expect(doorsThat(({ keys }) => keys.some((key) => key.startsWith('admin_key')))).toEqual([
      'admin',
    ])
  })

  test('no role deletes money or users, and only admin and sweep delete skills', () => {
    const deleting = (...kept: string[]) =>
      doorsThat(
        ({ action, keys }) =>
          action === 'dynamodb:DeleteItem' && kept.some((key) => keys.includes(key)),
      )
    expect(deleting('profile:*', 'ledger:*', 'credits:*')).toEqual([])
    expect(deleting('skill:private:*', 'skill:official', 'skill:market')).toEqual([
      'admin',
      'sweep',
    ])
  })
})

describe('a statement', () => {
  test('is shared by actions with the same keys', () => {
    expect(toStatements({ replies: ['tail'] }, STORE_PERMISSIONS)).toEqual([
      { table: 'sessions', actions: ['GetItem', 'Query'], keyPrefixes: ['session:'] },
    ])
  })

  test('has all keys of its action, and no action gets the keys of another', () => {
    const uses = { ledger: ['grant'], profiles: ['create'] } as const
    expect(toStatements(uses, STORE_PERMISSIONS)).toEqual([
      {
        table: 'gateway',
        actions: ['PutItem'],
        keyPrefixes: ['debts', 'ledger:', 'profile:', 'users:'],
      },
      { table: 'gateway', actions: ['GetItem', 'UpdateItem'], keyPrefixes: ['profile:'] },
    ])
  })

  test('keeps the tables apart', () => {
    const uses = { idempotencyRecords: ['drop'], keys: ['revoke'] } as const
    const statements = toStatements(uses, STORE_PERMISSIONS)
    expect(statements.filter(({ actions }) => actions.includes('DeleteItem'))).toEqual([
      { table: 'sessions', actions: ['DeleteItem'], keyPrefixes: ['answer:'] },
      {
        table: 'gateway',
        actions: ['DeleteItem'],
        keyPrefixes: ['auth:hash:', 'keys:', 'logins:', 'user:uid:'],
      },
    ])
  })

  test('spells keys with no character that IAM reads as a pattern or a variable', () => {
    const spelt = DOORS.flatMap(permissionsOf).flatMap(({ keyPrefixes }) => keyPrefixes)
    expect(spelt.filter((prefix) => !/^[a-z0-9_:]+$/.test(prefix))).toEqual([])
  })
})

test('the tail by the stream may read this stream and no other', () => {
  expect(statementsBy('tail')).toEqual([
    {
      Action: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      Effect: 'Allow',
      Resource: 'arn:aws:dynamodb:eu-west-1:111111111111:table/S/stream/1',
    },
  ])
})

function synthesized() {
  const stack = new Stack(new App(), 'Throwaway')
  const tables = { gateway: { tableArn: GATEWAY }, sessions: { tableArn: SESSIONS } }
  for (const door of DOORS) grantDoor(door, roleIn(stack, door), tables)
  grantStreamTail(roleIn(stack, 'tail'), `${SESSIONS}/stream/1`)
  const template = Template.fromStack(stack).toJSON()
  const statementsBy = (role: Door | 'tail') => statementsOfRole(template, role)
  const grantsBy = (door: Door) =>
    tableGrants(statementsBy(door), { gateway: GATEWAY, sessions: SESSIONS })
  return { statementsBy, grantsBy }
}

/** With its name as its logical id. */
function roleIn(stack: Stack, name: string): Role {
  const role = new Role(stack, name, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
  const { defaultChild } = role.node
  if (defaultChild instanceof CfnRole) defaultChild.overrideLogicalId(name)
  return role
}

function doorsThat(may: (grant: TableGrant) => boolean): readonly Door[] {
  return DOORS.filter((door) => grantsBy(door).some(may)).sort()
}

type DeclaredPermissions = {
  readonly [port: string]: { readonly [method: string]: readonly Permission[] }
}

function permissionsOf(door: Door): readonly Permission[] {
  const declared: DeclaredPermissions = STORE_PERMISSIONS
  return Object.entries<readonly string[]>(DOOR_USES[door]).flatMap(([port, methods]) =>
    methods.flatMap((method) => declared[port]?.[method] ?? []),
  )
}

/** As IAM judges it: each action is allowed by one statement that has all of the keys. */
function isAllowed(door: Door, { table, actions, keyPrefixes }: Permission): boolean {
  const wanted = keyPrefixes.map((prefix) => (prefix.endsWith(':') ? `${prefix}*` : prefix))
  return actions.every((action) =>
    grantsBy(door).some(
      (grant) =>
        grant.table === table &&
        grant.action === `dynamodb:${action}` &&
        wanted.every((key) => grant.keys.some((granted) => matches(granted, key))),
    ),
  )
}

/** `auth:hash:*` also has the keys of `auth:hash:t:*`. */
function matches(granted: string, key: string): boolean {
  return granted === key || (granted.endsWith(':*') && key.startsWith(granted.slice(0, -1)))
}
