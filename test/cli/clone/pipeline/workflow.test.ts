/** The written workflow, read as GitHub reads it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { writeWorkflow } from '../../../../cli/clone/pipeline/workflow.ts'

type Step = { readonly uses?: string; readonly run?: string; readonly with?: Fields }
type Fields = { readonly [name: string]: unknown }
type Job = {
  readonly if: string
  readonly needs?: string
  readonly environment: string
  readonly permissions: Fields
  readonly steps: readonly Step[]
}

const text = writeWorkflow([
  { name: 'dev', account: '111111111111', region: 'eu-central-1' },
  { name: 'prod', account: '222222222222', region: 'eu-west-1' },
])
const workflow: { readonly permissions: Fields; readonly jobs: { readonly [id: string]: Job } } =
  parse(text)
const jobs = Object.entries(workflow.jobs)
const steps = jobs.flatMap(([, job]) => job.steps)

function roleOf({ steps: own }: Job): unknown {
  return own.find((step) => step.with?.['role-to-assume'] !== undefined)?.with
}

test('a push deploys the stages one after the other, each in its own environment', () => {
  const deploys = jobs.filter(([id]) => id !== 'plan')
  expect(
    deploys.map(([id, { environment, if: when, needs }]) => [id, environment, needs, when]),
  ).toEqual([
    ['deploy-dev', 'dev', undefined, "github.event_name == 'push'"],
    ['deploy-prod', 'prod', 'deploy-dev', "github.event_name == 'push'"],
  ])
  expect(deploys.map(([, job]) => roleOf(job))).toMatchObject([
    { 'role-to-assume': 'arn:aws:iam::111111111111:role/Skillgate-dev-Deploy' },
    {
      'role-to-assume': 'arn:aws:iam::222222222222:role/Skillgate-prod-Deploy',
      'aws-region': 'eu-west-1',
    },
  ])
})

test('a pull request of the repository itself gets a plan of the last stage', () => {
  const { plan } = workflow.jobs
  expect(plan?.environment).toBe('prod-plan')
  expect(plan?.if).toContain('head.repo.full_name == github.repository')
  expect(plan && roleOf(plan)).toMatchObject({
    'role-to-assume': 'arn:aws:iam::222222222222:role/Skillgate-prod-Plan',
  })
  expect(plan?.permissions).toEqual({
    contents: 'read',
    'id-token': 'write',
    'pull-requests': 'write',
  })
})

test('no key is stored, no token stays in the clone, and each action is one commit', () => {
  expect(text).not.toContain('secrets.')
  expect(workflow.permissions).toEqual({ contents: 'read' })
  const used = steps.flatMap(({ uses }) => (uses === undefined ? [] : [uses]))
  expect(used.filter((one) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(one))).toEqual([])
  const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
  expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual([false, false, false])
})

test('nothing that a stranger can write becomes a part of a script', () => {
  const scripts = steps.map(({ run }) => run ?? '').join('\n')
  expect(scripts).not.toContain('${{')
})

test('the workflow runs scripts that the repository has', () => {
  const { scripts } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../../package.json'), 'utf8'),
  )
  const named = steps.flatMap(({ run }) => /npm run --silent (\w+)/.exec(run ?? '')?.[1] ?? [])
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
  expect(named).toContain('plan')
})
