/** Writes a skill as JSON: checked as the gateway would, compared with what is stored, then saved. */
import { useSignal } from '@preact/signals'
import type { JsonObject } from '../../core/json/json.ts'
import { type Difference, diffJson } from '../../core/json/json-diff.ts'
import { ask } from '../api/client.ts'
import type { FieldError } from '../api/field-error.ts'
import { toCommand } from '../parts/command.ts'
import { Differences } from '../parts/differences.tsx'
import { Choice, Form, useWork } from '../parts/form.tsx'
import { JsonEditor, parseText, withFaults } from '../parts/json-editor.tsx'
import { Loaded } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'
import { go, toHref } from '../shell/route.ts'
import type { PageProps, Views } from './page.ts'
import { readPlace, useSkill } from './skills.tsx'

/** Differences that are shown. */
const SHOWN_MAX = 100

const TEMPLATE = {
  id: 'sg_example',
  meta: {
    name: 'Example',
    description: 'Tells what the tool does and when to use it.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', description: 'Name of a city.' } },
      required: ['city'],
    },
  },
  config: { endpoint: 'https://api.example.com/weather?city={city}', method: 'GET' },
  credits_per_call: 1,
}

type Checked = {
  readonly text: string
  readonly differences: readonly Difference[]
  readonly warnings?: readonly string[]
}

type EditorProps = {
  skill: object
  source: string
  uid: string | undefined
  /** The version that is edited; 0 for a new skill. */
  version: number
}

function Editor({ skill, source, uid, version }: EditorProps) {
  const text = useSignal(JSON.stringify(skill, null, 2))
  const faults = useSignal<readonly FieldError[]>([])
  const checked = useSignal<Checked | undefined>(undefined)
  const work = useWork()
  const found = checked.value?.text === text.value ? checked.value : undefined
  const run = () => withFaults(faults, found === undefined ? check : save)
  const check = async () => {
    const sent = text.peek()
    const edited = parseText(sent)
    const body = { skill: edited, source, uid }
    const { warnings = [] } = await ask<Partial<Checked>>('admin/skills:dry-run', {
      method: 'POST',
      body,
    })
    const before = version === 0 ? {} : skill
    // Both are JSON.
    const { differences } = diffJson(before as JsonObject, edited as JsonObject, SHOWN_MAX)
    checked.value = { text: sent, differences, warnings }
  }
  const save = async () => {
    const query = { source, uid, if_version: version }
    const { skill: saved } = await ask<{ skill: { id: string } }>('admin/sync_skill', {
      method: 'POST',
      query,
      body: text.peek(),
    })
    go(toHref(['skills', source, saved.id], { uid }))
  }
  return (
    <Form work={work} onSubmit={run} submit={found === undefined ? 'Check' : 'Save'}>
      <JsonEditor label="Definition" text={text} faults={faults} />
      {found !== undefined && (
        <>
          <Differences caption="What a save changes" of={found.differences} />
          {found.warnings?.map((warning) => (
            <p key={warning} class="warning">
              <Text of={warning} />
            </p>
          ))}
        </>
      )}
    </Form>
  )
}

function EditSkill(page: PageProps) {
  const { source, uid } = readPlace(page)
  const skill = useSkill(page)
  return <Loaded of={skill}>{(stored) => <Editor {...stored} source={source} uid={uid} />}</Loaded>
}

function NewSkill() {
  const source = useSignal('official')
  return (
    <>
      <Choice
        label="Tier"
        value={source.value}
        options={[
          ['official', 'official'],
          ['market', 'market'],
        ]}
        onChange={(tier) => {
          source.value = tier
        }}
      />
      <Editor skill={TEMPLATE} source={source.value} uid={undefined} version={0} />
    </>
  )
}

export const VIEWS: Views = {
  'skills-new': {
    command: () => toCommand(['skills', 'new']),
    render: () => <NewSkill />,
  },
  'skills/{source}/{skillId}/edit': {
    command: (page) => readPlace(page).command('export'),
    render: (page) => <EditSkill {...page} />,
  },
}
