/** A stage with issuers that are asked about opaque tokens: who may read the secret for it. */
import { expect, test } from 'vitest'
import { DOORS, type Door } from '../../lib/doors.ts'
import type { Stage } from '../../lib/stage.ts'
import { getStage } from '../../lib/stages.ts'
import { statementsOfRole } from './expected-grants.ts'
import { resourcesOf, synthesize, type Template } from './synthesized.ts'

const ARN = 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:people-a1b2c3'
const ISSUER = { audiences: ['api://gateway'] }
const introspectionBy = (clientSecret: string) => ({
  url: 'https://login.example/introspect',
  clientId: 'gateway',
  clientSecret,
})
const STAGE: Stage = {
  ...getStage('dev'),
  publicOrigin: 'https://mcp.example.com',
  issuers: [
    { ...ISSUER, issuer: 'https://agents.example', introspection: introspectionBy('agents/gw') },
    {
      ...ISSUER,
      issuer: 'https://people.example',
      introspection: introspectionBy(ARN),
      admin: {
        audiences: ['api://admin'],
        roleOf: { claim: 'roles', values: { a: 'viewer' } },
        clientId: 'cli',
      },
    },
    { ...ISSUER, issuer: 'https://jwt.example' },
  ],
}

const WITH = synthesize(STAGE).gateway
const WITHOUT = synthesize({ ...STAGE, issuers: STAGE.issuers.slice(2) }).gateway

/** The secrets that a function may read, with ARNs as texts. */
function secretsOf(template: Template, door: Door): readonly string[] {
  const [, found] =
    resourcesOf(template, 'AWS::Lambda::Function').find(([, { Description }]) =>
      String(Description).endsWith(`: the ${door} door`),
    ) ?? []
  const role = found?.['Role'] as { 'Fn::GetAtt': readonly [string, string] }
  return statementsOfRole(template, role['Fn::GetAtt'][0])
    .filter(({ Action }) => Action === 'secretsmanager:GetSecretValue')
    .flatMap(({ Resource }) => Resource)
    .map((resource) => JSON.stringify(resource))
    .filter((text) => text.includes('agents/gw') || text.includes('people'))
    .sort()
}

test('the functions that agents reach read the secret of each issuer, and admin that of its own', () => {
  const readers = (part: string) =>
    DOORS.filter((door) => secretsOf(WITH, door).some((secret) => secret.includes(part)))
  expect(readers('agents/gw')).toEqual(['sse', 'mcp', 'execute'])
  expect(readers('people-a1b2c3')).toEqual(['sse', 'mcp', 'execute', 'admin'])
})

test('a secret that is named is granted with the six characters of its ARN, and an ARN as it is', () => {
  const [named, byArn] = secretsOf(WITH, 'mcp')
  expect([named, byArn].sort()).toEqual([
    `"${ARN}"`,
    expect.stringMatching(/:secret:agents\/gw-\?{6}"/),
  ])
})

test('no function reads a secret of an issuer that has JWTs alone', () => {
  expect(DOORS.flatMap((door) => secretsOf(WITHOUT, door))).toEqual([])
})
