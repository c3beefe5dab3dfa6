-- Earlier versions take the table of calls for complete: what is not read yet is read now.
INSERT INTO judging_calls (id, skill, completed, asked, input_tokens, output_tokens, cost)
SELECT id, skill, completed, coalesce(json_extract(scorecard, '$.panel.calls.asked'), 0),
  coalesce(json_extract(scorecard, '$.panel.calls.input_tokens'), 0),
  coalesce(json_extract(scorecard, '$.panel.calls.output_tokens'), 0),
  CAST(round(json_extract(scorecard, '$.panel.calls.cost') * 1e9) AS INTEGER)
FROM evaluations
WHERE id > (SELECT read_to FROM earlier_calls)
  AND (judge NOT GLOB '{"name":*' OR instr(judge, '","') > 0) AND scorecard GLOB '*{"asked":*'
  AND CASE WHEN json_valid(scorecard)
    THEN json_type(scorecard, '$.panel.calls.asked') IS NOT NULL AND json_type(scorecard, '$.rescored_from') IS NULL
  END
ON CONFLICT DO NOTHING;

DROP TABLE earlier_calls
