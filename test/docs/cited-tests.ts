/** Titles of the tests in a file of this repository, for the tests of pages that cite them. */
import { listTitles } from '../../scripts/citations/missing-tests.ts'
import { readText } from './markdown.ts'

export function titlesOf(file: string): readonly string[] {
  return listTitles(readText(file))
}
