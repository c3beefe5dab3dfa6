-- The calls of evaluations from before, part by part, in the order of their ids.
INSERT INTO judging_calls (id, skill, completed, asked, input_tokens, output_tokens, cost)
SELECT id, skill, completed, coalesce(json_extract(scorecard, '$.panel.calls.asked'), 0),
  coalesce(json_extract(scorecard, '$.panel.calls.input_tokens'), 0),
  coalesce(json_extract(scorecard, '$.panel.calls.output_tokens'), 0),
  CAST(round(json_extract(scorecard, '$.panel.calls.cost') * 1e9) AS INTEGER)
FROM evaluations
WHERE id > coalesce((SELECT max(id) FROM judging_calls), '') AND instr(scorecard, '"calls":{"asked":') > 0
  AND instr(scorecard, '"rescored_from":') = 0 AND json_valid(scorecard)
ORDER BY id
LIMIT 20000
