/** Reads a synthesized watch stack: resources by type, and the dashboard as the JSON that AWS gets. */
import { Template } from 'aws-cdk-lib/assertions'
import type { WatchedStage } from '../../lib/alarm-topic.ts'
import { withParameters } from './template-parameters.ts'
import { watched } from './watched.ts'

export type Properties = { readonly [name: string]: unknown }

export function watchTemplate(stage: Partial<WatchedStage> = {}): Template {
  return Template.fromJSON(withParameters(Template.fromStack(watched(stage).watch).toJSON()))
}

export function propertiesOf(template: Template, type: string): readonly Properties[] {
  return Object.values(template.findResources(type)).map((resource) => resource['Properties'])
}

/** References become their names in `<…>`. */
export function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return String(value)
  if ('Ref' in value) return `<${String(value.Ref)}>`
  if ('Fn::ImportValue' in value) return `<${nameOf(String(value['Fn::ImportValue']))}>`
  if ('Fn::GetAtt' in value && Array.isArray(value['Fn::GetAtt']))
    return `<${value['Fn::GetAtt'].join('.')}>`
  if ('Fn::Join' in value && Array.isArray(value['Fn::Join'])) {
    const [glue, parts] = value['Fn::Join']
    return Array.isArray(parts) ? parts.map(plainText).join(String(glue)) : ''
  }
  throw new Error(`no text: ${JSON.stringify(value)}`)
}

/** `Things:ExportsOutputRefsse1A2B3C4D5E6F` → `sse`. */
function nameOf(exported: string): string {
  return exported.replace(/^Things:ExportsOutputRef/, '').replace(/[0-9A-F]{8,16}$/, '')
}
