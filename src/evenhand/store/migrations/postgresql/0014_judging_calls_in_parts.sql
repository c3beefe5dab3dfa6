-- The calls of evaluations from before, part by part, in the order of their ids. They are found as text: a scorecard may
-- hold \u0000, which JSON functions refuse. Within a string every quotation mark is escaped, so no text looks like this.
-- A long text is unpacked anew for every function that reads it; OFFSET 0 keeps what was cut out of it. A judge that is
-- asked is known by more than its name: where there is only a name, as of a person, the scorecard is not even unpacked.
INSERT INTO judging_calls (id, skill, completed, asked, input_tokens, output_tokens, cost)
SELECT id, skill, completed, coalesce(substring(calls from '^[0-9]+')::bigint, 0),
  coalesce(substring(calls from '"input_tokens":([0-9]+)')::bigint, 0),
  coalesce(substring(calls from '"output_tokens":([0-9]+)')::bigint, 0),
  round(substring(calls from '"cost":([0-9.eE+-]+)')::numeric * 1000000000)::bigint
FROM (
  SELECT id, skill, completed, scorecard, split_part(split_part(scorecard, '"calls":{"asked":', 2), '}', 1) AS calls
  FROM evaluations
  WHERE id > coalesce((SELECT max(id) FROM judging_calls), '')
    AND (NOT starts_with(judge, '{"name":') OR strpos(judge, '","') > 0)
  ORDER BY id
  OFFSET 0
) AS asked
WHERE calls <> '' AND strpos(scorecard, '"rescored_from":') = 0
ORDER BY id
LIMIT 20000
