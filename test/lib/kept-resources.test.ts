/**
 * Resources that outlive a removed stage: which of them a later deploy imports, and which are no obstacle to
 * a later deploy.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { getStage } from '../../lib/stages.ts'
import { matchResources } from '../../scripts/import-mapping/mapping.ts'
import { synthesize } from './synthesized.ts'

const STACK = 'Skillgate-prod-Data'
const { data, gateway, watch } = synthesize(getStage('prod'))

const START = 'arn:aws:dynamodb:eu-central-1:123456789012:table'
const SECRETS = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret'
const KEYS = 'arn:aws:kms:eu-central-1:123456789012:key'
const KEY_ID = '1234abcd-12ab-34cd-56ef-1234567890ab'

/** As CloudFormation names what has no name in the template. */
const KEPT: readonly string[] = [
  `${START}/${STACK}-Gateway43CB3636-1ABCDEFGHIJKL`,
  `${START}/${STACK}-Sessions8896A56D-2ABCDEFGHIJKL`,
  `${KEYS}/${KEY_ID}`,
  `${SECRETS}:AdminSecretB9452750-abcDEF123456-Xy12Zz`,
  `${SECRETS}:InternalSecretD0FF93EA-abcDEF123456-Xy12Zz`,
  'arn:aws:s3:::skillgate-prod-data-archivebucket49f1ac64-abcdefghijkl',
]

const MAPPING = {
  Gateway43CB3636: { TableName: `${STACK}-Gateway43CB3636-1ABCDEFGHIJKL` },
  Sessions8896A56D: { TableName: `${STACK}-Sessions8896A56D-2ABCDEFGHIJKL` },
  UserSecretsKey2286F2D5: { KeyId: KEY_ID },
  AdminSecretB9452750: { Id: KEPT[3] },
  InternalSecretD0FF93EA: { Id: KEPT[4] },
  ArchiveBucket49F1AC64: { BucketName: 'skillgate-prod-data-archivebucket49f1ac64-abcdefghijkl' },
}

/** Resources with the same tags or similar names, which are not imported. */
const NOT_KEPT: readonly string[] = [
  `${KEPT[0]}-restored`,
  `${KEPT[0]}/stream/2026-11-21T08:00:00.000`,
  `${START}/Skillgate-dev-Data-Gateway43CB3636-3ABCDEFGHIJKL`,
  `${SECRETS}:WebhookSecret12345678-abcDEF123456-Xy12Zz`,
  'arn:aws:logs:eu-central-1:123456789012:log-group:Skillgate-prod-Gateway-SseLogs85D36038-4A',
  'arn:aws:kms:eu-central-1:123456789012:alias/some-key',
]

describe('the mapping of kept resources', () => {
  test('names every resource that outlives the data stack, and nothing else that was listed', () => {
    const matched = matchResources(STACK, data.Resources, [...NOT_KEPT, ...KEPT, ...KEPT])
    expect(matched).toEqual({ ok: true, mapping: MAPPING })
    const outlive = Object.entries(data.Resources).flatMap(([id, { DeletionPolicy }]) =>
      DeletionPolicy === 'Delete' || DeletionPolicy === undefined ? [] : [id],
    )
    expect(Object.keys(MAPPING).sort()).toEqual(outlive.sort())
  })

  test('uses the property by which CloudFormation identifies each type', () => {
    const used = Object.entries(MAPPING).map(([logicalId, identifier]) => [
      data.Resources[logicalId]?.Type,
      Object.keys(identifier),
    ])
    for (const [type, properties] of used) {
      expect([type, properties]).toEqual([type, identifierOf(type)])
    }
  })

  test.each(KEPT)('is refused without %s', (missing) => {
    const others = KEPT.filter((arn) => arn !== missing)
    const matched = matchResources(STACK, data.Resources, others)
    expect(matched).toMatchObject({
      ok: false,
      faults: [expect.stringMatching(/is not in the list/)],
    })
  })

  test('is refused with both of two that fit, which it names', () => {
    const second = `${KEYS}/9999abcd-12ab-34cd-56ef-1234567890ab`
    const older = `${START}/${STACK}-Gateway43CB3636-0OLDER`
    expect(matchResources(STACK, data.Resources, [...KEPT, second, older])).toEqual({
      ok: false,
      faults: [
        `Gateway43CB3636 (AWS::DynamoDB::GlobalTable): is in the list 2 times; keep only the one to import: ${KEPT[0]} ${older}`,
        `UserSecretsKey2286F2D5 (AWS::KMS::Key): is in the list 2 times; keep only the one to import: ${KEPT[2]} ${second}`,
      ],
    })
  })

  test('comes from the command of the runbook, from lines as from words', () => {
    for (const input of [KEPT.join('\n'), `${KEPT.join('\t')}\n`]) {
      const { status, stderr, stdout } = command(input)
      expect([status, stderr]).toEqual([0, ''])
      expect(JSON.parse(stdout)).toEqual(MAPPING)
    }
  })

  test('is not written at all when one is missing', () => {
    const { status, stderr, stdout } = command(KEPT.slice(1).join('\n'))
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain('Gateway43CB3636 (AWS::DynamoDB::GlobalTable): is not in the list')
  })
})

test('the page on removal shows the mapping as the command writes it', () => {
  const page = readFileSync('docs/deploy.md', 'utf8')
  const [, shown = ''] = /```json\n(\s*\{\s*"Gateway43CB3636".*?)```/s.exec(page) ?? []
  expect(JSON.parse(shown)).toEqual(MAPPING)
})

describe('kept resources of the other stacks', () => {
  const kept = [gateway, watch].flatMap(({ Resources }) =>
    Object.values(Resources).filter(({ DeletionPolicy }) => DeletionPolicy?.startsWith('Retain')),
  )

  test('are of the types that the page on removal names, and versions, which go with their functions', () => {
    expect([...new Set(kept.map(({ Type }) => Type))].sort()).toEqual([
      'AWS::ApiGateway::Account',
      'AWS::IAM::Role',
      'AWS::Lambda::Version',
      'AWS::Logs::LogGroup',
    ])
  })

  test('have no fixed name, which a later deploy would find taken', () => {
    const fixed = kept.flatMap(({ Properties = {} }) =>
      Object.entries(Properties).filter(
        ([name, value]) => name.endsWith('Name') && typeof value === 'string',
      ),
    )
    expect(fixed).toEqual([])
  })
})

type TypeDescription = {
  readonly cloudFormationType: string
  readonly primaryIdentifier?: readonly string[]
}

/** CloudFormation's own description of a type, as the CDK CLI brings it. */
function identifierOf(type: unknown): readonly string[] | undefined {
  const found = DESCRIBED.find(({ cloudFormationType }) => cloudFormationType === type)
  return found?.primaryIdentifier
}

const DESCRIBED: readonly TypeDescription[] = JSON.parse(
  gunzipSync(readFileSync('node_modules/aws-cdk/db.json.gz')).toString('utf8'),
).schema.resource.entities

function command(input: string) {
  const args = ['scripts/import-mapping.ts', '--stage', 'prod']
  return spawnSync(process.execPath, args, { input, encoding: 'utf8' })
}
