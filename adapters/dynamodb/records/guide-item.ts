/**
 * A guide's record as an item. The front matter is stored as JSON text, as definitions of skills
 * are; the files too, since a list of a hundred maps takes three times the bytes.
 */
import { Fault } from '../../../core/errors.ts'
import type { GuideFile, GuideRecord } from '../../../core/guides/guide.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { type Item, intAt, optionalTextAt, textAt, textsAt } from '../client/item.ts'
import type { Key } from '../table.ts'

export function toGuideItem(key: Key, { set, ...record }: GuideRecord): Item {
  return {
    ...key,
    ...record,
    ...(set === undefined ? {} : { set }),
    frontMatter: JSON.stringify(record.frontMatter),
    files: JSON.stringify(record.files),
  }
}

export function fromGuideItem(item: Item): GuideRecord {
  const set = optionalTextAt(item, 'set')
  return {
    guideId: textAt(item, 'guideId'),
    version: intAt(item, 'version'),
    frontMatter: parseObject(textAt(item, 'frontMatter')),
    groups: textsAt(item, 'groups'),
    files: parseFiles(textAt(item, 'files')),
    createdAtMs: intAt(item, 'createdAtMs'),
    updatedAtMs: intAt(item, 'updatedAtMs'),
    by: textAt(item, 'by'),
    ...(set === undefined ? {} : { set }),
  }
}

function parseObject(text: string): JsonObject {
  const value: Json = JSON.parse(text)
  if (!isJsonObject(value)) throw new Fault('internal', 'stored guide: front matter is no object')
  return value
}

function parseFiles(text: string): readonly GuideFile[] {
  const value: Json = JSON.parse(text)
  if (!Array.isArray(value)) throw new Fault('internal', 'stored guide: files are no list')
  return value.map((file) => {
    const item: Item = isJsonObject(file) ? file : {}
    return {
      path: textAt(item, 'path'),
      digest: textAt(item, 'digest'),
      bytes: countAt(item, 'bytes'),
      from: countAt(item, 'from'),
      mimeType: textAt(item, 'mimeType'),
      isText: item['isText'] === true,
      hasPrices: item['hasPrices'] === true,
    }
  })
}

/** Numbers of JSON, unlike those of items. */
function countAt(item: Item, name: string): number {
  const value = item[name]
  if (typeof value === 'number') return value
  throw new Fault('internal', `stored guide: ${name} of a file is no number`)
}
