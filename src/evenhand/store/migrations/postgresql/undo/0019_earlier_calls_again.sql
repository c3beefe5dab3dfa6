-- Earlier versions take the table of calls for complete: what is not read yet is read now.
INSERT INTO judging_calls (id, skill, completed, asked, input_tokens, output_tokens, cost)
SELECT id, skill, completed, coalesce(substring(calls from '^[0-9]+')::bigint, 0),
  coalesce(substring(calls from '"input_tokens":([0-9]+)')::bigint, 0),
  coalesce(substring(calls from '"output_tokens":([0-9]+)')::bigint, 0),
  round(substring(calls from '"cost":([0-9.eE+-]+)')::numeric * 1000000000)::bigint
FROM (
  SELECT id, skill, completed, scorecard, split_part(split_part(scorecard, '"calls":{"asked":', 2), '}', 1) AS calls
  FROM evaluations
  WHERE id > (SELECT read_to FROM earlier_calls)
    AND (NOT starts_with(judge, '{"name":') OR strpos(judge, '","') > 0)
  ORDER BY id
  OFFSET 0
) AS asked
WHERE calls <> '' AND strpos(scorecard, '"rescored_from":') = 0
ON CONFLICT DO NOTHING;

DROP TABLE earlier_calls
